//! Every command of docs/ci.md is run, as it stands there. What a runner has and a test has not
//! (Valgrind, Cargo, apt, git) are stubs; Valgrind's writes recorded profiles.

use crate::common::Stage;
use crate::common::fixture;
use std::path::Path;
use std::process::Command;
use yaml_rust2::{Yaml, YamlLoader};

/// The code blocks of one language.
fn blocks(markdown: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    markdown
        .split(&fence)
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap().to_owned())
        .collect()
}

fn stub(stage: &Stage, name: &str, script: &str) {
    let path = format!("bin/{name}");
    stage.write(&path, format!("#!/bin/sh\nset -e\n{script}\n"));
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(stage.dir.join(path), mode).unwrap();
}

/// Has Valgrind write a profile of a server, with the names of the page's program.
fn record(stage: &Stage, profile: &str) {
    let text = std::fs::read_to_string(fixture(profile)).unwrap();
    let names = text
        .replace(") checksum\n", ") bench::checksum\n")
        .replace(") scan_header", ") bench::http::scan_header");
    stage.write("recorded", names);
    stub(
        stage,
        "valgrind",
        "for arg; do case $arg in --callgrind-out-file=*) cp recorded \"${arg#*=}\"; exit;; esac; done; exit 1",
    );
}

/// A checkout on a runner.
fn runner() -> Stage {
    let stage = Stage::empty();
    std::fs::create_dir_all(stage.dir.join("bin")).unwrap();
    std::fs::create_dir_all(stage.dir.join("main")).unwrap();
    for name in ["sudo", "apt-get", "cargo", "git"] {
        stub(&stage, name, "");
    }
    record(&stage, "diff/server/server.old.out");
    stage
}

/// Runs a script as the services do: it ends at the first command that fails. Gives its status and
/// what it said.
fn script(stage: &Stage, text: &str) -> (Option<i32>, String) {
    let program = Path::new(env!("CARGO_BIN_EXE_cgannotate"))
        .parent()
        .unwrap();
    let path = format!(
        "{}:{}:/usr/bin:/bin",
        stage.dir.join("bin").display(),
        program.display()
    );
    let mut command = Command::new("sh");
    command
        .args(["-e", "-c", text])
        .current_dir(&stage.dir)
        .env("PATH", path);
    let out = command
        .env("GITHUB_STEP_SUMMARY", stage.dir.join("summary.md"))
        .output()
        .unwrap();
    let said = [out.stdout, out.stderr].concat();
    (out.status.code(), String::from_utf8(said).unwrap())
}

fn succeed(stage: &Stage, text: &str) -> String {
    let (status, said) = script(stage, text);
    assert_eq!(status, Some(0), "{text}\n{said}");
    said
}

fn read(stage: &Stage, file: &str) -> String {
    std::fs::read_to_string(stage.dir.join(file)).unwrap_or_else(|e| panic!("{file}: {e}"))
}

fn strings(list: &Yaml) -> Vec<&str> {
    list.as_vec()
        .unwrap()
        .iter()
        .map(|item| item.as_str().unwrap())
        .collect()
}

#[test]
fn the_jobs_of_the_ci_page_run() {
    let page =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/ci.md")).unwrap();
    let (sh, yaml, toml) = (
        blocks(&page, "sh"),
        blocks(&page, "yaml"),
        blocks(&page, "toml"),
    );
    assert_eq!([sh.len(), yaml.len(), toml.len()], [2, 2, 1]);
    let stage = runner();
    stage.write("cgannotate.toml", &toml[0]);
    succeed(&stage, &sh[0]);
    assert!(read(&stage, "cost.txt").starts_with("# cgannotate baseline 1\n"));

    let github = &YamlLoader::load_from_str(&yaml[0]).unwrap()[0];
    let steps = github["jobs"]["cost"]["steps"].as_vec().unwrap();
    let runs: Vec<&str> = steps
        .iter()
        .filter_map(|step| step["run"].as_str())
        .collect();
    assert_eq!(runs.len(), 4);
    let said: String = runs.iter().map(|run| succeed(&stage, run)).collect();
    assert!(said.contains("3 limits: 3 kept"), "{said}");
    for file in ["callgrind.out.all", "cost.html", "cost.xml", "cost.md"] {
        assert!(!read(&stage, file).is_empty());
    }
    // A merged profile does not say how many parts it was.
    assert_eq!(
        read(&stage, "cost.new.txt"),
        read(&stage, "cost.txt").replace("parts: 2\n", "")
    );
    assert!(read(&stage, "summary.md").contains("3 limits: 3 kept"));

    let gitlab = &YamlLoader::load_from_str(&yaml[1]).unwrap()[0];
    let said = succeed(&stage, &strings(&gitlab["cost"]["script"]).join("\n"));
    assert!(said.contains("3 limits: 3 kept"), "{said}");

    std::fs::copy(
        stage.dir.join("callgrind.out.all"),
        stage.dir.join("main/callgrind.out.all"),
    )
    .unwrap();
    succeed(&stage, &sh[1]);
    assert!(read(&stage, "change.html").starts_with("<!doctype html>"));
    assert!(
        !read(&stage, "cost.csv").is_empty() && !read(&stage, "cost.speedscope.json").is_empty()
    );
}

/// The same jobs on a change that costs more: they fail, and say where.
#[test]
fn the_jobs_of_the_ci_page_fail_when_they_should() {
    let page =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/ci.md")).unwrap();
    let stage = runner();
    stage.write("cgannotate.toml", &blocks(&page, "toml")[0]);
    script(&stage, &blocks(&page, "sh")[0]);
    record(&stage, "diff/server/server.new.out");
    let github = &YamlLoader::load_from_str(&blocks(&page, "yaml")[0]).unwrap()[0];
    let steps = github["jobs"]["cost"]["steps"].as_vec().unwrap();
    let results: Vec<(Option<i32>, String)> = steps
        .iter()
        .filter_map(|step| step["run"].as_str())
        .map(|run| script(&stage, run))
        .collect();
    let statuses: Vec<_> = results.iter().map(|(status, _)| *status).collect();
    assert_eq!(
        statuses,
        [Some(0), Some(0), Some(3), Some(0)],
        "{results:?}"
    );
    // checksum and scan_headers, the functions that were changed on purpose, are named with their
    // lines.
    let said = &results[2].1;
    assert!(
        said.contains("EXCEEDED the whole run: total.Ir <= +1%\n"),
        "{said}"
    );
    assert!(
        said.contains("\n::error file=/srv/new/http.c,line="),
        "{said}"
    );
    assert!(read(&stage, "summary.md").contains("**exceeded** | the whole run |"));
}

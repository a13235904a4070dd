//! `action.yml` and `ci/gitlab.yml`: what they run is run here, step by step, with what a runner
//! has and a test has not (apt, Cargo, the services' own programs) as stubs.

use crate::common::needed::{Required, found, starts};
use crate::common::{Stage, fixture};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use yaml_rust2::{Yaml, YamlLoader};

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn yaml(file: &str) -> Yaml {
    YamlLoader::load_from_str(&fs::read_to_string(repository().join(file)).unwrap())
        .unwrap()
        .remove(0)
}

/// A checkout on a runner, with programs that only say how they were called.
fn runner() -> Stage {
    let stage = Stage::empty();
    for name in ["sudo", "apt-get", "cargo", "git", "gh", "curl"] {
        let path = format!("bin/{name}");
        stage.add(
            &path,
            format!("#!/bin/sh\necho \"{name} $*\" >> \"$CALLS\"\n"),
        );
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(stage.dir.join(path), mode).unwrap();
    }
    // What GitLab's template clones.
    std::os::unix::fs::symlink(repository(), stage.dir.join("cgannotate-source")).unwrap();
    stage
}

type Environment = BTreeMap<String, String>;

/// Runs a script as the services do: it ends at the first command that fails.
fn script(
    stage: &Stage,
    shell: &str,
    text: &str,
    environment: &Environment,
) -> (Option<i32>, String) {
    let program = Path::new(env!("CARGO_BIN_EXE_cgannotate"))
        .parent()
        .unwrap();
    let path = format!(
        "{}:{}:/usr/bin:/bin",
        stage.dir.join("bin").display(),
        program.display()
    );
    let mut command = Command::new(shell);
    command
        .args(["-e", "-c", text])
        .current_dir(&stage.dir)
        .env("PATH", path)
        .env("CALLS", stage.dir.join("calls"));
    command
        .env("GITHUB_STEP_SUMMARY", stage.dir.join("summary.md"))
        .envs(environment);
    let out = command.output().unwrap();
    (
        out.status.code(),
        String::from_utf8([out.stdout, out.stderr].concat()).unwrap(),
    )
}

fn read(stage: &Stage, file: &str) -> String {
    fs::read_to_string(stage.dir.join(file)).unwrap_or_else(|e| panic!("{file}: {e}"))
}

/// What one job of an action's user says.
#[derive(Clone, Copy)]
struct Job<'a> {
    run: &'a str,
    profiles: &'a str,
    again: &'a str,
    limits: &'a str,
    commit: &'a str,
    main: bool,
}

impl Job<'_> {
    /// The value of an expression of action.yml; each that stands there has to be known.
    fn value(&self, expression: &str) -> String {
        let yes = |is: bool| if is { "yes" } else { "no" }.to_owned();
        match expression {
            "github.action_path" => repository().display().to_string(),
            "inputs.run" => self.run.into(),
            "inputs.profiles" => self.profiles.into(),
            "inputs.again" => self.again.into(),
            "inputs.limits" => self.limits.into(),
            "inputs.comment" => "yes".into(),
            "inputs.token" => "token".into(),
            "github.sha" => self.commit.into(),
            "github.event.pull_request.number" => if self.main { "" } else { "7" }.into(),
            "github.ref_name == github.event.repository.default_branch && 'yes' || 'no'" => {
                yes(self.main)
            }
            other => panic!("no value for {other}"),
        }
    }

    /// Runs the steps of action.yml that are scripts; gives the status of each, and all that was
    /// said.
    fn steps(&self, stage: &Stage) -> (Vec<Option<i32>>, String) {
        let action = yaml("action.yml");
        let (mut statuses, mut all) = (Vec::new(), String::new());
        for step in action["runs"]["steps"].as_vec().unwrap() {
            let Some(text) = step["run"].as_str() else {
                assert!(step["uses"].as_str().is_some());
                continue;
            };
            // Whatever is said by others (branches, titles) must not become part of a script.
            assert!(!text.contains("${{"), "{text}");
            let mut environment =
                Environment::from([("GITHUB_ACTIONS".to_owned(), "true".to_owned())]);
            for (name, value) in step["env"].as_hash().unwrap() {
                let expression = value
                    .as_str()
                    .unwrap()
                    .strip_prefix("${{ ")
                    .unwrap()
                    .strip_suffix(" }}")
                    .unwrap();
                environment.insert(name.as_str().unwrap().to_owned(), self.value(expression));
            }
            let (status, said) = script(stage, step["shell"].as_str().unwrap(), text, &environment);
            statuses.push(status);
            all += &said;
        }
        (statuses, all)
    }
}

const LIMIT: &str = "total.Ir <= +1%";

#[test]
fn the_action_compares_with_the_last_run_of_the_main_branch() {
    let stage = runner();
    let (old, new) = (
        fixture("diff/server/server.old.out"),
        fixture("diff/server/server.new.out"),
    );
    let main = Job {
        run: "",
        profiles: &old,
        again: "",
        limits: LIMIT,
        commit: "aaa",
        main: true,
    };

    let (statuses, said) = main.steps(&stage);
    assert_eq!(statuses, [Some(0); 3], "{said}");
    assert!(
        said.contains("no run of the main branch is known yet"),
        "{said}"
    );
    assert!(stage.dir.join("cost-history/000001-aaa").is_file());
    assert!(read(&stage, "cost/page.html").starts_with("<!doctype html>"));

    // Nothing changed.
    let (statuses, said) = Job {
        commit: "bbb",
        ..main
    }
    .steps(&stage);
    assert_eq!(statuses, [Some(0); 3], "{said}");
    assert!(said.contains("1 limit: 1 kept"), "{said}");
    assert!(stage.dir.join("cost-history/000002-bbb").is_file());

    // A pull request that costs more fails, says where and why, and leaves the history alone.
    let (statuses, said) = Job {
        profiles: &new,
        commit: "ccc",
        main: false,
        ..main
    }
    .steps(&stage);
    assert_eq!(statuses, [Some(0), Some(3), Some(0)], "{said}");
    assert!(
        said.contains("EXCEEDED total.Ir <= +1%\n")
            && said.contains("\n::error file=/srv/new/http.c,line="),
        "{said}"
    );
    let comment = read(&stage, "cost/comment.md");
    assert!(
        comment.contains("**exceeded**") && comment.contains("checksum"),
        "{comment}"
    );
    assert!(read(&stage, "summary.md").ends_with(&comment));
    assert!(
        read(&stage, "calls")
            .contains("gh pr comment 7 --edit-last --create-if-none --body-file cost/comment.md\n")
    );
    assert!(read(&stage, "cost/limits.xml").contains("<failure"));
    assert_eq!(
        fs::read_dir(stage.dir.join("cost-history"))
            .unwrap()
            .count(),
        2
    );

    // Without a limit it tells and does not judge.
    let (statuses, said) = Job {
        profiles: &new,
        limits: "",
        main: false,
        ..main
    }
    .steps(&stage);
    assert_eq!(statuses, [Some(0); 3], "{said}");
    // A profile that is none is an error of the job.
    stage.write("none.out", "nothing\n");
    let (statuses, said) = Job {
        profiles: "none.out",
        main: false,
        ..main
    }
    .steps(&stage);
    assert_eq!(statuses[1], Some(1), "{said}");
}

/// A run that is dearer than all before it is a failure once a second one is, too.
#[test]
fn a_limit_on_noise_is_held_against_the_whole_history() {
    let stage = runner();
    let run = |cost: i64| {
        format!(
            "cmd: ./p\nevents: Ir\nsummary: {cost}\nfl=a.c\nfn=main\n1 {cost}\ntotals: {cost}\n"
        )
    };
    for at in 1..=11 {
        stage.add(
            &format!("cost-history/{at:06}-run"),
            run(10_000 + at * 7 % 5),
        );
    }
    stage
        .write("new.1", run(12_000))
        .write("new.2", run(12_001))
        .write("usual", run(10_002));
    let limits = "total.Ir <= noise\ntotal.Ir <= +90%";
    let check = |profiles: &str, again: &str| {
        Job {
            run: "",
            profiles,
            again,
            limits,
            commit: "abc",
            main: false,
        }
        .steps(&stage)
    };
    for (profiles, again, status, what) in [
        ("new.1", "", 0, "1 unconfirmed"),
        ("new.1", "new.2", 3, "1 exceeded"),
        ("new.1", "usual", 0, "2 kept"),
        ("usual", "", 0, "2 kept"),
    ] {
        let (statuses, said) = check(profiles, again);
        assert_eq!(statuses[1], Some(status), "{profiles} {again}: {said}");
        assert!(said.contains(what), "{profiles} {again}: {said}");
    }
    // Limits of the file count, too.
    stage.write(
        "cgannotate.toml",
        "[[limit]]\nexpression = \"total.Ir <= noise\"\n",
    );
    let (statuses, said) = Job {
        run: "",
        profiles: "new.1",
        again: "new.2",
        limits: "",
        commit: "abc",
        main: false,
    }
    .steps(&stage);
    assert_eq!(statuses[1], Some(3), "{said}");
}

#[test]
fn the_history_keeps_the_newest_runs() {
    let stage = runner();
    let old = fixture("diff/server/server.old.out");
    let environment = |commit: &str| -> Environment {
        [
            ("COST_PROFILES", &old[..]),
            ("COST_KEEP", "yes"),
            ("COST_KEPT", "3"),
            ("COST_COMMIT", commit),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into()
    };
    stage.add("cost-history/000008-x", fs::read(&old).unwrap());
    for commit in ["a", "b", "c"] {
        let (status, said) = script(
            &stage,
            "sh",
            "cgannotate-source/ci/cost.sh",
            &environment(commit),
        );
        assert_eq!(status, Some(0), "{said}");
    }
    let mut kept: Vec<String> = (fs::read_dir(stage.dir.join("cost-history")).unwrap())
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    kept.sort();
    assert_eq!(kept, ["000009-a", "000010-b", "000011-c"]);
}

/// A command line is recorded, where Valgrind is installed.
#[test]
fn the_action_records_what_it_is_told_to() {
    let missing = "valgrind is not installed, so nothing was recorded";
    if !found(
        starts("valgrind", &["--version"]),
        Required::Reference,
        missing,
    ) {
        return;
    }
    let stage = runner();
    let job = Job {
        run: "sh -c 'exit 0'",
        profiles: "",
        again: "",
        limits: "",
        commit: "abc",
        main: true,
    };
    let (statuses, said) = job.steps(&stage);
    assert_eq!(statuses, [Some(0); 3], "{said}");
    assert!(read(&stage, "cost-history/000001-abc").contains("desc: Label: abc\n"));
    // A program that fails is a job that fails, and nothing of it is kept.
    let (statuses, said) = Job {
        run: "sh -c 'exit 5'",
        ..job
    }
    .steps(&stage);
    assert_eq!(statuses[1], Some(5), "{said}");
    assert_eq!(
        fs::read_dir(stage.dir.join("cost-history"))
            .unwrap()
            .count(),
        1
    );
}

#[test]
fn the_job_of_gitlab_does_the_same() {
    let stage = runner();
    let template = yaml("ci/gitlab.yml");
    let job = &template[".cgannotate"];
    let text = |list: &Yaml| -> String {
        list.as_vec()
            .unwrap()
            .iter()
            .map(|line| format!("{}\n", line.as_str().unwrap()))
            .collect()
    };
    let (old, new) = (
        fixture("diff/server/server.old.out"),
        fixture("diff/server/server.new.out"),
    );
    let run = |profile: &str, branch: &str, request: &str| {
        let environment: Environment = [
            ("CGANNOTATE", "https://example.org/cgannotate.git"),
            ("COST_PROFILES", profile),
            ("COST_LIMITS", LIMIT),
            ("CI_COMMIT_SHA", "abc"),
            ("CI_COMMIT_BRANCH", branch),
            ("CI_DEFAULT_BRANCH", "main"),
            ("CI_MERGE_REQUEST_IID", request),
            ("CI_API_V4_URL", "https://example.org/api/v4"),
            ("CI_PROJECT_ID", "3"),
            ("COST_TOKEN", "token"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
        let (status, said) = script(&stage, "bash", &text(&job["script"]), &environment);
        let (after, also) = script(&stage, "bash", &text(&job["after_script"]), &environment);
        assert_eq!(after, Some(0), "{also}");
        (status, said)
    };
    let (status, said) = run(&old, "main", "");
    assert_eq!(status, Some(0), "{said}");
    let (status, said) = run(&new, "", "7");
    assert_eq!(status, Some(3), "{said}");
    let calls = read(&stage, "calls");
    assert!(
        calls
            .contains("git clone --depth 1 https://example.org/cgannotate.git cgannotate-source\n"),
        "{calls}"
    );
    assert!(
        calls.ends_with("https://example.org/api/v4/projects/3/merge_requests/7/notes\n"),
        "{calls}"
    );
    let reports = job["artifacts"]["reports"]["junit"].as_str().unwrap();
    assert!(read(&stage, reports).contains("<failure"));
}

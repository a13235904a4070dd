//! What a run depends on besides its program's source. It is recorded, so that a comparison can say
//! what else differs. `docs/record.md` lists it.

use super::Executable;
use crate::{env, fs::regular};
use std::{
    collections::BTreeMap,
    fs::{self, Metadata},
    path::Path,
    time::SystemTime,
};

/// Variables that change what a program does in its libraries; also all that begin with `MALLOC_`.
const VARIABLES: &str = "GLIBC_TUNABLES LANG LC_ALL LD_BIND_NOW LD_LIBRARY_PATH LD_PRELOAD PERL_HASH_SEED PYTHONHASHSEED";

/// What the last run of a program depended on: a name and a value of each. Files that were changed
/// since it began are not its input.
pub(crate) fn facts(program: &Executable, began: SystemTime) -> BTreeMap<String, String> {
    let mut facts: BTreeMap<String, String> = env::variables()
        .filter(|[name, _]| {
            VARIABLES.split(' ').any(|known| known == name) || name.starts_with("MALLOC_")
        })
        .map(|[name, value]| (format!("${name}"), value))
        .collect();
    let processors = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = processors
        .lines()
        .find_map(|line| line.strip_prefix("model name\t: "));
    facts.extend(model.map(|model| ("the processor".into(), model.into())));
    facts.extend(crate::object::compiler(&program.path).map(|name| ("the compiler".into(), name)));
    let arguments = program.command.iter().skip(1);
    let files = arguments.map(|word| (word.to_string_lossy().into_owned(), Path::new(word)));
    for (name, path) in files.chain([("standard input".into(), Path::new("/dev/stdin"))]) {
        let is_input = |meta: &Metadata| meta.modified().is_ok_and(|time| time < began);
        let size = regular(path)
            .filter(is_input)
            .map(|meta| meta.len().to_string());
        facts.extend(size.map(|size| (format!("the size of {name} in bytes"), size)));
    }
    facts
}

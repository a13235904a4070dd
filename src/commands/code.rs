//! Asks binaries and debug files about the instructions of a profile, if a report needs it.

#[cfg(feature = "object")]
pub(super) use with::{ask, inline, say, texts};
#[cfg(not(feature = "object"))]
pub(super) use without::{ask, inline, say, texts};

#[cfg(feature = "object")]
mod with {
    use crate::object::{self, Extent, Syntax, Where};
    use crate::profile::{FunctionId, Profile};
    use crate::request::annotate::{AskedPage, AsmSyntax, Request, zoom_pattern};
    use crate::view::instructions::Texts;
    use crate::view::instructions::list::InstructionList;
    use anyhow::Result;
    use std::path::PathBuf;

    fn place(request: &Request, profiles: &[PathBuf]) -> Where {
        Where {
            maps: request.sources.maps.clone(),
            debug_dirs: request.code.debug_dirs.clone(),
            profiles: profiles.to_vec(),
            force: request.code.force,
            objdump: request.code.objdump.clone(),
        }
    }

    fn syntax(request: &Request) -> Syntax {
        match request.code.syntax {
            AsmSyntax::Att => Syntax::Att,
            AsmSyntax::Intel => Syntax::Intel,
        }
    }

    /// Finds out which functions were inlined where, if that is asked for and the profile has instructions. Where only the
    /// instructions of one function are shown, the objects of those that may be it are enough.
    pub(in super::super) fn ask(profile: &mut Profile, request: &Request, profiles: &[PathBuf]) -> Result<()> {
        let place = place(request, profiles);
        if profile.code.as_ref().is_none_or(|code| code.is_empty()) {
            if request.code.inlined && request.own.is_none() && !profile.lines.is_empty() {
                object::find_inlined_by_line(profile, &place);
            }
            return Ok(());
        }
        match &request.page {
            _ if request.code.inlined => object::find_inlined(profile, &place),
            AskedPage::Zoom { pattern, .. } if request.code.asm => {
                let regex = zoom_pattern(pattern).ok();
                let is_meant = |name: &[u8]| match &regex {
                    Some(regex) => regex.is_match(name),
                    None => name == pattern.as_bytes(),
                };
                let meant = profile.function_ids().map(|id| profile.function(id));
                let objects: std::collections::HashSet<_> =
                    meant.filter(|f| is_meant(profile.name(f.name))).map(|f| f.object).collect();
                object::find_inlined_in(profile, &place, |_, object| objects.contains(&object));
            }
            _ => {}
        }
        Ok(())
    }

    /// Finds out which functions were inlined where, for another format.
    pub(in super::super) fn inline(profile: &mut Profile, profiles: &[PathBuf], debug_dirs: &[PathBuf]) -> Result<()> {
        let place = Where { debug_dirs: debug_dirs.to_vec(), profiles: profiles.to_vec(), ..Where::default() };
        object::find_inlined(profile, &place);
        Ok(())
    }

    /// The instructions around those of a function.
    pub(in super::super) fn texts(
        profile: &Profile,
        id: FunctionId,
        request: &Request,
        profiles: &[PathBuf],
    ) -> Result<Texts> {
        let Some(code) = &profile.code else { return Ok(Ok(Vec::new())) };
        let mut addresses: Vec<u64> =
            code.places_of(id).filter_map(|at| code.instruction(at)).map(|(one, _)| one.address).collect();
        addresses.dedup();
        let wanted = (&addresses[..], Extent::Functions);
        Ok(object::disassemble(
            profile,
            profile.function(id).object,
            wanted,
            syntax(request),
            &place(request, profiles),
        ))
    }

    /// Puts the text of instructions into a list.
    pub(in super::super) fn say(
        list: &mut InstructionList<'_>,
        profile: &Profile,
        request: &Request,
        profiles: &[PathBuf],
    ) -> Result<()> {
        let (syntax, place) = (syntax(request), place(request, profiles));
        let texts: Vec<_> = (list.wanted().into_iter())
            .map(|(object, addresses)| {
                let wanted = (&addresses[..], Extent::Addresses);
                (object, object::disassemble(profile, object, wanted, syntax, &place))
            })
            .collect();
        list.say(texts);
        Ok(())
    }
}

/// A program without what reads binaries.
#[cfg(not(feature = "object"))]
mod without {
    use crate::commands::Usage;
    use crate::profile::{FunctionId, Profile};
    use crate::request::annotate::Request;
    use crate::view::instructions::Texts;
    use crate::view::instructions::list::InstructionList;
    use anyhow::{Result, bail};
    use std::path::PathBuf;

    const WHY: &str = "this program was built without the feature `object`";

    pub(in super::super) fn ask(_: &mut Profile, request: &Request, _: &[PathBuf]) -> Result<()> {
        if request.code.inlined {
            bail!(Usage(format!("--inlined: {WHY}")));
        }
        Ok(())
    }

    pub(in super::super) fn inline(_: &mut Profile, _: &[PathBuf], _: &[PathBuf]) -> Result<()> {
        bail!(Usage(format!("--inlined: {WHY}")))
    }

    pub(in super::super) fn texts(_: &Profile, _: FunctionId, _: &Request, _: &[PathBuf]) -> Result<Texts> {
        Ok(Err(WHY.to_owned()))
    }

    pub(in super::super) fn say(list: &mut InstructionList<'_>, _: &Profile, _: &Request, _: &[PathBuf]) -> Result<()> {
        list.notes.push(WHY.to_owned());
        Ok(())
    }
}

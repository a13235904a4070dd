#compdef cgannotate
# Completes what is typed after cgannotate in zsh: in a folder of $fpath as _cgannotate, or
#   source <(cgannotate --generate=zsh)
_cgannotate() {
    local -a lines values shown open
    local line value what kind
    lines=("${(@f)$($words[1] __complete -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
    kind=$lines[1]
    for line in "${(@)lines[2,-1]}"; do
        value=${line%%$'\t'*}
        what=${line#*$'\t'}
        if [[ $value == *= ]]; then
            open+=("$value")
        else
            values+=("$value")
            shown+=("$value${what:+  -- $what}")
        fi
    done
    (($#values)) && compadd -V values -l -d shown -a values
    (($#open)) && compadd -S '' -a open
    case $kind in
        files) compset -P '--*='; _files ;;
        folders) compset -P '--*='; _files -/ ;;
    esac
}
if [[ $funcstack[1] == _cgannotate ]]; then
    _cgannotate "$@"
else
    compdef _cgannotate cgannotate
fi

# Completes what is typed after cgannotate in bash:
#   source <(cgannotate --generate=bash)
_cgannotate() {
    # Words as they were typed: bash parts them at = and : as well, where no blank stands.
    local rest=${COMP_LINE:0:COMP_POINT} typed=() count=0 i word blank
    # Whoever asks in place of bash may give the words alone.
    if [[ -z $rest ]]; then rest="${COMP_WORDS[*]:0:COMP_CWORD+1}"; fi
    for ((i = 0; i <= COMP_CWORD; i++)); do
        blank=${rest%%[![:space:]]*}
        rest=${rest#"$blank"}
        if ((i == COMP_CWORD)); then word=$rest; else word=${COMP_WORDS[i]}; fi
        rest=${rest#"$word"}
        if [[ $i -eq 0 || -n $blank ]]; then
            typed[count]=$word
            count=$((count + 1))
        else
            typed[count - 1]+=$word
        fi
    done
    local last=${typed[count - 1]} current=${COMP_WORDS[COMP_CWORD]}
    # bash replaces only what stands behind the last = or :.
    local kept=$last
    if [[ $current == *[!=:]* ]]; then kept=${last%"$word"}; fi
    # Behind a quotation mark that is open nothing is escaped, and what would need to be is no answer.
    local mark=''
    case $word in \'* | \"*) mark=${word:0:1} ;; esac
    if [[ -n $mark ]]; then
        last=${last%"$word"}${word:1}
        typed[count - 1]=$last
    fi

    local kind='' line value
    COMPREPLY=()
    while IFS= read -r line; do
        if [[ -z $kind ]]; then
            kind=$line
            continue
        fi
        value=${line%%$'\t'*}
        value=${value#"$kept"}
        case $mark$value in \'*\'* | \"*[\"\$\\\`]*) continue ;; esac
        if [[ -z $mark && $value == *[!A-Za-z0-9_./:=+,%@-]* ]]; then printf -v value %q "$value"; fi
        COMPREPLY[${#COMPREPLY[@]}]=$value
    done < <("${COMP_WORDS[0]}" __complete -- "${typed[@]:1:count-1}" 2>/dev/null)

    if [[ $kind == files || $kind == folders ]]; then
        local name flag=-f
        if [[ $kind == folders ]]; then flag=-d; fi
        name=${last#--*=}
        while IFS= read -r line; do
            COMPREPLY[${#COMPREPLY[@]}]=$line
        done < <(compgen "$flag" -- "$name")
        compopt -o filenames 2>/dev/null
    fi
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then
        compopt -o nospace 2>/dev/null
    fi
}
complete -o nosort -F _cgannotate cgannotate 2>/dev/null || complete -F _cgannotate cgannotate

# Completes what is typed after cgannotate in fish: as ~/.config/fish/completions/cgannotate.fish, or
#   cgannotate --generate=fish | source
function __cgannotate_complete
    set -l words (commandline --tokenize --current-process --cut-at-cursor)
    set -l current (commandline --current-token --cut-at-cursor)
    set -l lines ($words[1] __complete -- $words[2..-1] "$current" 2>/dev/null)
    for line in $lines[2..-1]
        echo $line
    end
    set -l before (string match --regex --groups-only -- '^(--[^=]*=)' $current)
    set -l name (string replace --regex -- '^--[^=]*=' '' $current)
    switch "$lines[1]"
        case files
            for path in (__fish_complete_path $name)
                echo "$before"$path
            end
        case folders
            for path in (__fish_complete_directories $name)
                echo "$before"$path
            end
    end
end
complete --command cgannotate --no-files --keep-order --arguments '(__cgannotate_complete)'

# Completion of holdfast in fish.
function __holdfast_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in (holdfast __complete $words[2..-1] 2>/dev/null)
        if test "$line" = ':files'
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c holdfast -f -a '(__holdfast_complete)'

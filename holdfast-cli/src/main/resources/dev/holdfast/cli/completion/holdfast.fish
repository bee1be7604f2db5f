# Completes holdfast in fish. To use it:
#   holdfast completion fish > ~/.config/fish/completions/holdfast.fish
function __holdfast_passed_dashes
  contains -- -- (commandline -opc)
end
# After -- comes a command of the user's own, which is completed as it would be by itself.
function __holdfast_command
  set -l words (commandline -opc)
  set -l at (contains -i -- -- $words)
  complete -C (string join ' ' -- (string escape -- $words[(math $at + 1)..-1]) (commandline -ct))
end
complete -c holdfast -f
@COMMANDS@
@OPTIONS@
complete -c holdfast -n __holdfast_passed_dashes -a '(__holdfast_command)'

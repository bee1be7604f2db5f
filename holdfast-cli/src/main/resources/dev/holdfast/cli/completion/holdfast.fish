# Completes holdfast in fish. To use it:
#   holdfast completion fish > ~/.config/fish/completions/holdfast.fish
complete -c holdfast -f
@COMMANDS@
@OPTIONS@
# After -- comes a command of the user's own.
complete -c holdfast -n 'contains -- -- (commandline -opc)' -F

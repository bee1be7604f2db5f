#compdef holdfast
# Completes holdfast in zsh. To use it, put this in ~/.zshrc, below compinit:
#   eval "$(holdfast completion zsh)"
_holdfast() {
  local -a verbs options
  verbs=(
@COMMANDS@
  )
  if (( CURRENT == 2 )); then
    _describe command verbs
    return
  fi
  local dashes=${words[(ie)--]}
  if (( dashes < CURRENT )); then # a command of the user's own
    words=("${(@)words[dashes+1,-1]}")
    (( CURRENT -= dashes ))
    _normal
    return
  fi
  case ${words[CURRENT-1]} in
    --*-file) _files; return ;;
    @VALUED@) _message value; return ;;
  esac
  case ${words[2]} in
@OPTIONS@
  esac
  compadd -- $options
}
if [[ ${funcstack[1]} == _holdfast ]]; then
  _holdfast "$@"
else
  compdef _holdfast holdfast
fi

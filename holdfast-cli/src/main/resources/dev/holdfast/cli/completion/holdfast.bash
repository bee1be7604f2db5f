# Completes holdfast in bash. To use it, put this in ~/.bashrc:  eval "$(holdfast completion bash)"
_holdfast() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} i
  local -a options=()
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W '@COMMANDS@' -- "$word")
    return
  fi
  for ((i = 2; i < COMP_CWORD; i++)); do
    if [[ ${COMP_WORDS[i]} == -- ]]; then # a command of the user's own
      if declare -F _command_offset >/dev/null; then
        _command_offset $((i + 1))
      elif ((COMP_CWORD == i + 1)); then
        mapfile -t COMPREPLY < <(compgen -c -- "$word")
      else
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
      fi
      return
    fi
  done
  case $before in
    --*-file)
      mapfile -t COMPREPLY < <(compgen -f -- "$word")
      return
      ;;
    @VALUED@) return ;;
  esac
  case ${COMP_WORDS[1]} in
@OPTIONS@
  esac
  mapfile -t COMPREPLY < <(compgen -W "${options[*]}" -- "$word")
}
complete -F _holdfast holdfast

#compdef holdfast
# Completion of holdfast in zsh.
_holdfast() {
  local line files=
  local -a values
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      files=1
    else
      values+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
    fi
  done < <(holdfast __complete "${(@)words[2,CURRENT]}" 2>/dev/null)
  (( $#values )) && _describe -V holdfast values
  [[ -n $files ]] && _files
}
if [[ ${funcstack[1]} == _holdfast ]]; then _holdfast; else compdef _holdfast holdfast; fi

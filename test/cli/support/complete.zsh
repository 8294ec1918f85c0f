# complete.zsh SCRIPT LINE: prints what an interactive zsh makes of a line when Tab is pressed at its end.
zmodload zsh/zpty
zpty inner zsh -f -i
zpty -w inner "autoload -U compinit; compinit -D; source ${(q)1}"
zpty -w inner "tab-and-print() { zle complete-word; print -r -- \"<\$BUFFER>\"; }; zle -N tab-and-print; bindkey '^I' tab-and-print; print RE''ADY"
zpty -r inner shown '*READY*'
zpty -n -w inner "$2"$'\t'
zpty -r inner shown '*<rolecall*>*'
print -r -- "${${shown##*<}%%>*}"
zpty -d inner

#!/bin/bash
# Copies to another machine, which is a directory beside this one. Settings name paths: those of that machine then.
set -euo pipefail
flags=()
[[ "$1" == -* ]] && flags=("$1") && shift
to="${2#*@}"
other="$(dirname "$MACHINE")/${to%%:*}"
target="$other/${to#*:}"
cp "${flags[@]}" "$1" "$target"
[[ "$1" != *.env ]] || sed -i "s#$MACHINE/#$other/#g" "$target"

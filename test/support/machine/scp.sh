#!/bin/bash
# Copies to another machine, which is a directory beside this one, and replaces the paths in settings by those of that machine.
set -euo pipefail
flags=()
[[ "$1" == -* ]] && flags=("$1") && shift
to="${2#*@}"
other="$(dirname "$MACHINE")/${to%%:*}"
target="$other/${to#*:}"
cp "${flags[@]}" "$1" "$target"
[[ "$1" != *.env ]] || sed -i "s#$MACHINE/#$other/#g" "$target"

#!/bin/bash
# Stands for sudo and runuser: on a machine of a test there is one user.
while [[ $# -gt 0 ]]; do
  case "$1" in
    -u) shift 2 ;;
    --) shift; break ;;
    *) break ;;
  esac
done
exec env "$@"

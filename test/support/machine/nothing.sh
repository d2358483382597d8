#!/bin/sh
# Substitute for commands that change users, owners or files by hand: does nothing.

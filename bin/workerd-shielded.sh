#!/bin/sh
# Ctrl-C in a terminal reaches every process of the group. workerd would end at once, and the calls in flight with it;
# an ignored signal stays ignored across exec, so it is `modelrig dev` alone that decides when the runtime ends.
trap '' INT
# What the objects keep (amounts, names of routes) is for this user alone.
umask 077
# A `dev` that was killed outright cannot end its runtime, and no call may go on without it. `dev` alone holds the pipe
# open for writing, so reading from it ends with `dev`. Without a pipe the parent is looked for every second.
(
  if [ -p "$MODELRIG_LIFELINE" ]; then
    (read -r _ <"$MODELRIG_LIFELINE"; kill -9 $$) &
    reader=$!
  fi
  while kill -0 "$PPID" && kill -0 $$; do sleep 1; done
  [ -z "$reader" ] || kill -9 "$reader"
  kill -9 $$
) </dev/null >/dev/null 2>&1 3>&- &
exec "$MODELRIG_WORKERD" "$@"

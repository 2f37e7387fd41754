#!/bin/sh
# Ctrl-C in a terminal reaches every process of the group. workerd would end at once, and the calls in flight with it;
# an ignored signal stays ignored across exec, so it is `modelrig dev` alone that decides when the runtime ends.
trap '' INT
# A `dev` that was killed outright cannot end its runtime: this does, within a second.
(while kill -0 "$PPID" && kill -0 $$; do sleep 1; done; kill -9 $$) </dev/null >/dev/null 2>&1 3>&- &
exec "$MODELRIG_WORKERD" "$@"

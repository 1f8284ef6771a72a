#!/bin/sh
# Does the answer help at all? A scorer in plain shell: a request's keys are sorted and have no blanks between them.
while IFS= read -r line; do
    rest=${line##*'"id":'}
    case ${rest##*'"output":'} in
        *Sorry*) verdict='"score":0,"reason":"it only says sorry"' ;;
        *) verdict='"score":1' ;;
    esac
    printf '{"id":%s,%s}\n' "${rest%%,*}" "$verdict"
done

n=0
for ((i = 0; i < 20000; i++)); do
  s=k$((i * 7919 % 1009))
  n=$((n + ${#s}))
  [[ $s == k*7 ]] && t=${s/k/z}$n
done
echo $n $t

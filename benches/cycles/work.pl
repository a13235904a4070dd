# Counts words with a regular expression, then sorts and changes them.
my %c;
my $t = join " ", map { "w" . ($_ * 7919 % 5003) . "x" } 1 .. 40000;
while ($t =~ /(w\d+)x/g) { $c{$1}++ }
my $n = 0;
for my $k (sort keys %c) {
    my $s = $k;
    $s =~ s/(\d)(\d)/$2$1/g;
    $n += length($s) * $c{$k} if $s =~ /^w[0-4]+|7$/;
}
print "$n\n";

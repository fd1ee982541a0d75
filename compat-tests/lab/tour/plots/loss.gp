# SPDX-License-Identifier: BSD-2-Clause
# Throughput by loss and congestion control.
set title "What a loss means is for the sender's algorithm to say" font ",17"
set style data histogram
set style histogram clustered gap 1
set style fill solid 0.9 noborder
set boxwidth 0.88 relative
set yrange [0:link_mbps * 1.12]
set xrange [-0.6:losses - 0.4]
set bmargin 5
set ylabel "received, Mbit/s"
set key outside bottom center horizontal maxrows 1 samplen 1.5
set xtics scale 0
# Where gnuplot puts the bars of a group.
at(i) = (i - (count - 1) / 2) / (count + 1)
bars = dir."bars.dat"
plot for [i = 0:count - 1] bars using (column(i + 2)):xtic(1) linestyle i + 1 \
		title columnheader(i + 2), \
	for [i = 0:count - 1] bars using ($0 + at(i)):(column(i + 2)): \
		(sprintf("%.1f", column(i + 2))) every ::1 with labels offset 0, -0.8 \
		font ",13" textcolor rgb "white" notitle, \
	dir."mathis.dat" using ($1 - 0.43):2:(0.86):(0) with vectors nohead linestyle 9 \
		linewidth 1.8 title "Mathis, or the link"

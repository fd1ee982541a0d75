# SPDX-License-Identifier: BSD-2-Clause
# Throughput of one connection by its window.
set title sprintf("One window a round trip of %.1f ms, or the link", rtt_ms) font ",17"
set logscale x 2
set xrange [10:190]
set yrange [0:link_mbps * 1.2]
set xtics (16, 32, 64, 128)
set xlabel "window asked for, KiB"
set ylabel "received, Mbit/s"
set key at graph 0.98, 0.04 right bottom Left reverse samplen 2
limit(x) = x * 1024 * 8 / rtt_ms / 1e3
least(x) = limit(x) < link_mbps ? limit(x) : link_mbps
most(x) = 1.2 * limit(x) < link_mbps ? 1.2 * limit(x) : link_mbps
set samples 400
plot '+' using 1:(least($1)):(most($1)) with filledcurves linecolor rgb "#dbe9f4" \
		title "as Linux makes it, up to a fifth more", \
	least(x) with lines linestyle 9 title "window / round trip, up to the link less headers", \
	dir."measured.dat" using 1:2 with points linestyle 2 pointsize 1.1 title "measured", \
	dir."measured.dat" using 1:2:(sprintf("%.1f", $2)) with labels offset 0, 1.1 \
		textcolor rgb "#d55e00" notitle

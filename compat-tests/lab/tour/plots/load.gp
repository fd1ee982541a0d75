# SPDX-License-Identifier: BSD-2-Clause
# Latency under load: round trip, rate and queue over one time.
set terminal svg size 900,760 font "Helvetica,14" background "white" linewidth 1.2
set multiplot
set xrange [0:end_s]
set lmargin at screen 0.10
set rmargin at screen 0.97
set key off
set object 1 rectangle from from_s, graph 0 to to_s, graph 1 behind \
	fillcolor rgb "#fff4dd" fillstyle solid noborder
set ylabel offset 1.5
set format x ""

# round trip
set tmargin at screen 0.92
set bmargin at screen 0.62
set title "Latency under load: a full queue of 500 KB on a 10 Mbit/s link" font ",17"
set ylabel "round trip, ms"
set yrange [0:full_ms * 1.15]
set label 1 "idle" at from_s / 2, graph 0.62 center textcolor rgb "#777777"
set label 2 "load" at (from_s + to_s) / 2, graph 0.22 center textcolor rgb "#777777"
set label 3 "recovery" at (to_s + end_s) / 2, graph 0.62 center textcolor rgb "#777777"
set label 4 sprintf("idle + queue / rate = %.0f ms", full_ms) at 0.1, full_ms \
	offset 0, 0.6 textcolor rgb "#444444"
set label 5 sprintf("%.1f ms", idle_ms) at 0.1, idle_ms offset 0, 0.7 textcolor rgb "#444444"
plot full_ms with lines linestyle 9, idle_ms with lines linestyle 9, \
	dir."rtt.dat" using 1:2 with linespoints linestyle 1

# rate
unset title
unset label
set tmargin at screen 0.59
set bmargin at screen 0.36
set ylabel "rate, Mbit/s"
set yrange [0:rate_mbps * 2.6]
set key top right vertical samplen 2
plot rate_mbps with lines linestyle 9 notitle, \
	dir."queue.dat" using 1:4 with lines linecolor rgb "#e69f00" linewidth 1.4 \
		title "sent: above the link's rate the queue grows", \
	dir."queue.dat" using 1:3 with lines linestyle 2 title "carried by the slow link"

# queue
set key off
set tmargin at screen 0.33
set bmargin at screen 0.09
set format x "%g"
set xlabel "seconds"
set ylabel "queue, KB"
set yrange [0:queue_kb * 1.15]
set label 6 sprintf("room for %.0f KB", queue_kb) at 0.1, queue_kb offset 0, 0.6 \
	textcolor rgb "#444444"
plot queue_kb with lines linestyle 9, \
	dir."queue.dat" using 1:2 with filledcurves x1 linecolor rgb "#a8dccb", \
	dir."queue.dat" using 1:2 with lines linestyle 3
unset multiplot

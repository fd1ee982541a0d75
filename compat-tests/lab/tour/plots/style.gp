# SPDX-License-Identifier: BSD-2-Clause
# What all pictures share. Colours that also differ for those who see few.
set terminal svg size 900,520 font "Helvetica,14" background "white" linewidth 1.2
set output out
set encoding utf8
set border 3 linecolor rgb "#555555"
set tics nomirror out scale 0.5 textcolor rgb "#333333"
set grid ytics linecolor rgb "#dddddd" linetype 1 linewidth 0.6
set style line 1 linecolor rgb "#0072b2" linewidth 1.8 pointtype 7 pointsize 0.5
set style line 2 linecolor rgb "#d55e00" linewidth 1.8 pointtype 7 pointsize 0.5
set style line 3 linecolor rgb "#009e73" linewidth 1.8 pointtype 7 pointsize 0.5
set style line 9 linecolor rgb "#444444" linewidth 1.2 dashtype 2

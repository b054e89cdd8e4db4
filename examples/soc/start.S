  .section .start, "ax"
  li sp, 0xf000
  call main
1:
  j 1b

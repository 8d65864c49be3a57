-- ARGV a number
return 2 * ARGV[1]

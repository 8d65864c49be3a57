-- Marks a run as done with a memory that it did not change. A lower epoch never takes the place of a higher one.
-- KEYS: the run's mark (the epoch that has written)
-- ARGV: epoch, how long the mark is kept (ms)
if tonumber(redis.call('GET', KEYS[1]) or '0') < tonumber(ARGV[1]) then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
end
return { 'marked' }

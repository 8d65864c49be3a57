-- Writes a memory if nobody has written it since `version` was read, and once for each owner of a run. One script: the check
-- and the write cannot be parted, and a repeated call finds the mark of the first.
-- KEYS: the memory (hash: memory, version, trusted: the version that was written as trusted), the run's mark (the epoch that has written), the owner's
-- threads with a memory (set)
-- ARGV: version, memory (JSON), epoch, how long the mark is kept (ms), '1' if the memory is trusted, the thread if the memory is one's
local marked = tonumber(redis.call('GET', KEYS[2]) or '0')
local epoch = tonumber(ARGV[3])
if marked == epoch then return { 'repeated' } end
if marked > epoch then return { 'superseded', tostring(marked) } end

local current = redis.call('HMGET', KEYS[1], 'version', 'memory', 'trusted')
local version = current[1] or '0'
if version ~= ARGV[1] then return { 'conflict', version, current[2] or '', current[3] or '' } end

local written = string.format('%d', version + 1)
redis.call('HSET', KEYS[1], 'version', written, 'memory', ARGV[2])
if ARGV[5] == '1' then redis.call('HSET', KEYS[1], 'trusted', written) end
if ARGV[6] then redis.call('SADD', KEYS[3], ARGV[6]) end
redis.call('SET', KEYS[2], ARGV[3], 'PX', ARGV[4])
return { 'written' }

-- Deletes the memories of an owner and takes their threads off the list, as a whole: compare-and-set.lua lists a thread with its memory.
-- KEYS: the owner's threads with a memory (set), then the memories
-- ARGV: the threads of these memories
-- Returns the number of deleted memories.
local deleted = 0
for at = 2, #KEYS do deleted = deleted + redis.call('DEL', KEYS[at]) end
for _, thread in ipairs(ARGV) do redis.call('SREM', KEYS[1], thread) end
return deleted

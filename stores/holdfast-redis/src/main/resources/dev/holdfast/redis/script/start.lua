-- The server's clock, read once, in microseconds since 1970; put in front of every verb.

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

-- The record of the first lock, if a fast path has read it: the scripts behind need not read it again.
local ahead

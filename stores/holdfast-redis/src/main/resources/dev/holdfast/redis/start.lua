-- The server's clock, read once, in microseconds since 1970; put in front of every verb.

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

-- The record of the first lock, where a short way has read it; what follows need not read it again.
local ahead

-- The server's clock, read once; put in front of every verb. The number is in microseconds since 1970, the stamp is
-- the same as text of 16 digits: joined from what the server said, since Lua is slow at writing numbers.

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local stamp = time[1] .. string.sub('00000' .. time[2], -6)
if #stamp ~= 16 then
  stamp = string.format('%016.0f', now)
end

-- The record of the first lock, where a short way has read it; what follows need not read it again.
local ahead

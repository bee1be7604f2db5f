-- The clock as text of 16 digits, joined from what the server said: Lua is slow at writing numbers.

local stamp = time[1] .. string.sub('00000' .. time[2], -6)
if #stamp ~= 16 then
  stamp = string.format('%016.0f', now)
end

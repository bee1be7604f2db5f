-- The clock as a text of 16 digits, joined from the server's reply: Lua is slow at formatting numbers.

local stamp = time[1] .. string.sub('00000' .. time[2], -6)
if #stamp ~= 16 then
  stamp = string.format('%016.0f', now)
end

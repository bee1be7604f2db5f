-- The claims that hold and wait, without their ids. Changes nothing.
-- KEYS: for each lock itself and its line.

local function look(key, line)
  local lock = open(key, line)
  local reply = { 'lock', lock.kind or '', text(lock.capacity or 0) }
  local rank = lock.second and { [lock.second.id] = 1 } or {}
  for i, id in ipairs(redis.call('ZRANGE', line, 0, -1)) do
    rank[id] = i
  end
  for _, claim in ipairs(all(lock)) do
    if claim.state ~= 'b' and claim.ends > now then
      reply[#reply + 1] = { text(rank[claim.id] or 0), text(claim.token), text(claim.weight),
        text(math.max(0, now - claim.since)), text(claim.ends - now), claim.owner, claim.value,
        text(claim.token > 0 and lock.last or 0), claim.token > 0 and claim.keepable or '' }
    end
  end
  return reply
end

local replies = {}
for i = 1, #KEYS / 2 do
  replies[i] = safely(look, KEYS[2 * i - 1], KEYS[2 * i])
end
return replies

-- Takes claims out, holders and waiters alike.
-- KEYS: for each claim its lock and line. ARGV: for each claim, then how long it lingers and how long a late
-- join is kept out, in microseconds.

local function bury(lock, claim, refused)
  keep(lock) -- as in refresh
  lock.kind = lock.kind or claim.kind
  lock.capacity = lock.capacity or claim.capacity
  claim.field = '~' .. claim.id
  claim.state = 'b'
  claim.till = now + refused
  put(lock, claim)
end

local function leave(lock, claim, linger, refused)
  local known = find(lock, claim.id)
  local there = known and known.state ~= 'l'
  if there and known.state == 'g' and linger > 0 then
    keep(lock) -- as in refresh
    known.state = 'l'
    known.till = now + linger
    put(lock, known)
  elseif there then
    remove(lock, known)
  end
  if refused > 0 then
    bury(lock, claim, refused)
  end
  return { there and 'left' or 'gone' }
end

local replies = {}
for i = 1, #KEYS / 2 do
  local from = 13 * i - 12
  replies[i] = answer(leave, KEYS[2 * i - 1], KEYS[2 * i], asked(from),
    tonumber(ARGV[from + 11]), tonumber(ARGV[from + 12]))
end
return replies

-- Takes claims out, holders and waiters alike.
-- KEYS: for each claim its lock and line. ARGV: for each claim its id; then how long it lingers and how long a late
-- join is kept out, in microseconds, and behind that, if one is to be kept out, the claim.

local function bury(lock, claim, refused)
  lock.lean = true
  lock.kind = lock.kind or claim.kind
  lock.capacity = lock.capacity or claim.capacity
  claim.field = '~' .. claim.id
  claim.state = 'b'
  claim.till = now + refused
  put(lock, claim)
end

local function leave(lock, from)
  local linger, refused, claim = string.match(ARGV[from + 1], '^(%d+) (%d+) ?(.*)$')
  linger, refused = tonumber(linger), tonumber(refused)
  local known = find(lock, ARGV[from])
  local there = known and known.state ~= 'l'
  if there and known.state == 'g' and linger > 0 then
    lock.lean = true
    known.state = 'l'
    known.till = now + linger
    lock.lingers, lock.lingered = math.max(lock.lingers, known.till), true
    put(lock, known)
  elseif there then
    remove(lock, known)
  end
  if refused > 0 then
    bury(lock, sent(ARGV[from], claim), refused)
  end
  return { there and 'left' or 'gone' }
end

local replies = {}
for i = 1, #KEYS / 2 do
  replies[i] = answer(leave, KEYS[2 * i - 1], KEYS[2 * i], 2 * i - 1)
end
return replies

-- Removes claims, holders and waiters alike.
-- KEYS: for each claim its lock and line. ARGV: for each claim its id; then how long it lingers and how long its
-- tombstone lasts, in microseconds, and behind that the claim, if there is to be a tombstone.

local function leave_tombstone(lock, claim, refused)
  lock.lean = true
  lock.kind = lock.kind or claim.kind
  lock.capacity = lock.capacity or claim.capacity
  claim.field = '~' .. claim.id
  claim.state = 'b'
  claim.keepable = ''
  claim.ends = now + refused
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
    known.keepable = ''
    known.ends = now + linger
    lock.lingers, lock.lingered = math.max(lock.lingers, known.ends), true
    put(lock, known)
  elseif there then
    remove(lock, known)
  end
  if refused > 0 then
    leave_tombstone(lock, sent(ARGV[from], claim), refused)
  end
  return { there and 'left' or 'gone' }
end

local replies = {}
for i = 1, #KEYS / 2 do
  replies[i] = answer(leave, KEYS[2 * i - 1], KEYS[2 * i], 2 * i - 1)
end
return replies

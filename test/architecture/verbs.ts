// First words of function names. Add a verb if a name needs it; a noun, an adjective or a participle does not belong here.
const WORDS = `
  abandon abort accept accepts acknowledge acquire act add admit advance advertise align allow allows announce
  answer answers append apply approve are arrange as ask assert assign attach attempt attribute await batch begin
  bind block bound break bridge build cache calculate call can cancel cannot canonicalize capture cast chain
  change check choose claim classify clean clear clip close coalesce collapse collect commit compact compare
  compile complete compute conclude confirm conflicts connect consume contains continue continues converse convert
  copy count create cut decide decode defer define delete deny derive describe describes detect differs digest
  disown dispatch do download draw drive drop edit embed emit empty encode end ends ensure enter erase escape
  estimate evaluate exchange execute exists expand expect expire explain extend extract fail feed fence fetch fill
  filter find fingerprint finish fit fits flush fold follow for forget format free from gather generate get give
  group grow guard halt hand handle has hash have hide hold holds identify ignore implies indent index inherits
  insert inspect interrupt is issue join judge judges keep kick kill label launch learn leave let limit link list
  listen load locate log lose lower main make map mark mask match matches may measure memoize merge moderate
  modify mount move must name narrow needs normalize note notify observe offer omit on open operate order outlive
  output override pack page parse pass passes pause perform permit pick ping place plan poll position post prefix
  prepare print probe project prolong provide publish pull purge push put queue quote race rank rate read rebuild
  recall receive reconcile record reduce refresh refund refuse reject relay release relist reload remake remember
  remove rename render renew reopen reopens repair repeat replace replay report request requeue require reserve
  reset resolve respond restart restate restore resume retract retry return reverse revoke rewind rewrite round
  run sample save scale scan schedule score seal search select send separate serialize serve set settle share
  shield shift shorten should show shows sign skip slice sort spell split start starts stop store stream stringify
  strip submit subscribe substitute subtract succeeds suggest sum summarize supervise survey suspend tag take
  takes tap throw time to toggle tokenize track transform translate trim try undisguise unescape unify unlist
  unpack unseal unwrap update upsert use validate verify visit wait wake wants warn watch weigh with withdraw wrap write
`;

/** Verbs, predicates such as `is`, and the prefixes of conversions (`to`, `from`, `as`), handlers (`on`) and copies (`with`). */
export const VERBS: ReadonlySet<string> = new Set(WORDS.trim().split(/\s+/));

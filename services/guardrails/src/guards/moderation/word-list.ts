// Swear words in nine languages. A list cannot detect meaning: it misses hatred in plain words, threats and new
// spellings. It contains no names for groups of people, since most of them have harmless senses too.
const ENGLISH =
  'fuck fucks fucked fucker fuckers fucking motherfucker motherfuckers motherfucking fuckhead fuckwit fuckface clusterfuck shit shits ' +
  'shitty shithead shitheads bullshit horseshit dipshit shitshow asshole assholes arsehole arseholes dumbass jackass asshat bitch ' +
  'bitches bitching bastard bastards cunt cunts cock cocksucker cocksuckers dick dickhead dickheads prick pricks twat twats wanker ' +
  'wankers bollocks bugger slut sluts whore whores douchebag douchebags piss pissed goddamn goddamned dammit';
const GERMAN =
  'scheiße scheisse scheiß scheiss scheißkerl beschissen beschissene verdammt verfickt verfickte ficken fick ficker gefickt arschloch ' +
  'arschlöcher arsch wichser wichsen hurensohn hurensöhne hure huren fotze fotzen schlampe schlampen miststück drecksau saukerl ' +
  'verpiss verpisst pisser kacke';
const FRENCH =
  'putain merde merdes merdique connard connards connasse connasses salope salopes salaud salauds enculé enculés enculer foutre ' +
  'bordel pute putes couilles chier bâtard niquer nique branleur branleurs';
const SPANISH =
  'mierda joder jodido jodida puta putas puto putos gilipollas cabrón cabrones cabrona coño hijoputa hijueputa pendejo pendejos ' +
  'pendeja chinga chingar chingada verga mamón culero malparido follar hostia';
const ITALIAN =
  'cazzo cazzi cazzata stronzo stronzi stronza merda merdoso puttana puttane troia troie vaffanculo fanculo coglione coglioni ' +
  'bastardo minchia figa incazzato';
const PORTUGUESE =
  'merda caralho porra puta putas foder foda fodido fodida cabrão buceta arrombado cuzão filhodaputa desgraçado punheta bosta';
const DUTCH =
  'kut klote klootzak klootzakken godverdomme verdomme hoer hoeren lul eikel kanker tering neuken mierenneuker';
const POLISH =
  'kurwa kurwy kurwo chuj chuja chuju pierdolić pierdol pierdolę pierdolony jebać jebany jebana spierdalaj wypierdalaj skurwysyn ' +
  'skurwiel dupek gówno suka cipa';
const RUSSIAN =
  'блядь бля блять сука суки хуй хуя хуйня пизда пиздец пизды ебать ебаный ебаная ёбаный мудак мудаки говно дерьмо заебал нахуй ' +
  'похуй охуел пидор';

export const SWEAR_WORDS: readonly string[] = [
  ...new Set(
    [ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN, PORTUGUESE, DUTCH, POLISH, RUSSIAN].flatMap((words) =>
      words.split(' '),
    ),
  ),
];

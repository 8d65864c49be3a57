// The words in which people ask about a quotation. A list of what may stand there: whatever else does may ask for what is quoted, in any language
// and however it is spelled. Not in it: words for the model, for doing and beginning, imperatives but those of looking, and what instructions are called.

const english =
  'a an the this that these those some any one two three all each every which what whose other another same such ' +
  'i we he she it they my our his her its their me us them somebody someone anybody anyone nobody people ' +
  'please of in into on at to from for with without by as about inside between among under over and or but not than like because when where while ' +
  'is are was were be been being can could may might did does has have had would isn wasn doesn didn don t s ' +
  'why how who whether so very too more most less still often never ever usually sometimes really even also only ' +
  'explain explained explains describe described classify classified classifies label labelled labeled labels compare compares rate rated assess assessed ' +
  'evaluate evaluated detect detected detects detection recognise recognize recognised recognized recognises recognizes flag flagged flags filtered filters ' +
  'block blocked blocks mean means meant meaning called considered considers count counts counted wrote written says said saw found sent sends typed posted ' +
  'quoted quotes cites cited mentioned mentions belong belongs claims claimed work worked works used uses collect collected collects cluster sort misses missed ' +
  'makes made became becomes happens happened appears appeared stands stood comes came shows showed ' +
  'sentence sentences phrase phrases word words wording text texts message messages line lines string strings prompt prompts input inputs request requests ' +
  'question questions example examples quote quotation quotations comment comments post posts tweet tweets lyric lyrics title titles headline headlines ' +
  'slogan mail mails email emails article articles paper papers blog book books chapter page pages essay essays log logs entry entries faq glossary protocol ' +
  'chat chats forum thread threads ticket tickets report reports course courses class classes lesson lecture beginner beginners student students teacher ' +
  'colleague colleagues user users customer customers visitor visitors attacker attackers author authors team teams tool tools filter guard guards ' +
  'guardrail guardrails detector classifier moderation router server device app browser program model models bot bots chatbot chatbots ai language security ' +
  'attack attacks attempt attempts injection injections jailbreak jailbreaks category categories kind kinds type types difference differences trick tricks ' +
  'joke jokes extraction override suffix suffixes misconduct spam phishing risk risks danger dangers problem problems reason reasons effect term terms idiom ' +
  'grammar tense tone thinking game games ' +
  'funny dangerous harmless harmful bold polite famous rude suspicious malicious benign common classic typical simple plain clever obvious safe unsafe old ' +
  'older hidden white public true false right wrong good bad different similar strange odd critical adversarial';

const german =
  'der die das den dem des ein eine einen einem einer und oder aber nicht in im an am auf aus bei mit von vom zu zum zur f\u00fcr \u00fcber als wie ' +
  'ist sind war waren sein kann k\u00f6nnen wird wurde werden hat haben ich wir er sie es man mein meine meinem meiner unser unsere unserem unserer ' +
  'dieser diese dieses diesem diesen was warum wieso weshalb welche welcher welches wer so sehr noch oft nie ' +
  'erkl\u00e4re erkl\u00e4ren erkl\u00e4rt beschreibe bedeutet hei\u00dft meint schrieb schreibt sagt formulieren erkannt blockiert gefiltert gef\u00e4hrlich harmlos freundlich lustig bekannt ' +
  'satz s\u00e4tze wort worte w\u00f6rter text nachricht nachrichten zeile frage fragen beispiel beispiele zitat titel protokoll log nutzer nutzerin kunde kundin team filter ' +
  'angriff angriffe absage unterschied trick witz kurs';

const french =
  'le la les l un une des du de d et ou mais ne pas n dans en sur \u00e0 au aux pour par avec comme que qu qui quoi quel quelle quels quelles pourquoi comment ' +
  'est sont \u00e9tait peut peuvent puis montrer je j nous il elle ils on mon ma mes notre nos ce cette ces c autre autres t aussi souvent jamais ' +
  'explique expliquer signifie dit \u00e9crit cite citer bloqu\u00e9 bloqu\u00e9e filtr\u00e9 filtr\u00e9e dangereux dangereuse dr\u00f4le c\u00e9l\u00e8bre ' +
  'phrase phrases mot mots texte message messages ligne question exemple exemples citation titre cours \u00e9quipe utilisateur client attaque injection filtre diff\u00e9rence';

const spanish =
  'el la los las lo un una unos unas de del y o pero no en a al con por para que qu\u00e9 como c\u00f3mo cu\u00e1l cu\u00e1les qui\u00e9n es son era fue puede pueden suele ' +
  'yo nosotros \u00e9l ella mi mis nuestro nuestra este esta estos estas ese esa otro otra se su tan muy nunca ' +
  'explica expl\u00edcalo explicar significa dice dijo escribi\u00f3 bloquea bloquearse bloqueado bloqueada peligroso peligrosa gracioso famoso ' +
  'frase frases palabra palabras texto mensaje mensajes l\u00ednea pregunta ejemplo ejemplos cita t\u00edtulo blog curso equipo usuario cliente ataque inyecci\u00f3n filtro diferencia';

const words = new Set([english, german, french, spanish].flatMap((some) => some.split(' ')));
/** Words that only stand for looking in these. */
const turns =
  /\btrying to do\b|\bhow do (?:i|we|they|people)\b|\bcompose an? (?:faq entry|title|headline|explanation)\b|\b(?:somebody|someone|they|he|she) put\b|\b(?:tweet|post|message|sign|slide|mail|poster|headline|comment|title|line) reads?\b/g;
/** A mark of quotation that is left over is none of these. */
const between = /[\s.,;:!?\u00bf\u00a1()\u2026\u2013\u2014'0-9-]+/;

/** The words of a text, all of which may stand around a quotation that is asked about; undefined where one may not. */
export function wordsAbout(text: string): number | undefined {
  const found = text
    .toLowerCase()
    .replace(turns, ' the the ')
    .split(between)
    .filter((word) => word !== '');
  return found.every((word) => words.has(word)) ? found.length : undefined;
}

// Names of secrets: `DB_PASSWORD=…`, `"clientSecret": "…"`, "my password is …".

const NAMES =
  'pass(?:word|wd|phrase|code)|pwd|passwort|kennwort|contraseña|motdepasse|senha|пароль|密码|密碼|パスワード|' +
  '(?:api|access|auth|secret|private|signing|encryption|account|storage|master|session|shared|service|client|app|consumer|license)[ _.-]?key|apikey|' +
  '(?:[a-z]{0,20}[ _.-]?)?(?:secret|token|credentials?)|bearer|authorization|connection[ _.-]?string|webhook[ _.-]?url|(?:db|database|redis|mongo|amqp)[ _.-]?ur[il]|\\.?dockerconfigjson';
/** A name that ends with one of these: `AWS_SECRET_ACCESS_KEY`, `userPassword`. */
const name = new RegExp(`(?:^|[^\\p{L}]|(?<=\\p{Ll}))(?:${NAMES})$`, 'iu');
/** The short word only as a word of its own: `db_pass`, `dbPass`, not `minipass` and `bypass`. */
const shortName = /(?:^|[^\p{L}])pass$|\p{Ll}Pass$/u;
/** Suffixes that make the value an amount or a setting: `max_tokens`, `token_count`, `password_reset`. */
const MAX_NAME = 64;

/** Takes a word without sign or quotation marks: `password`, `--db-password`, `client_secret`. */
export const isSecretName = (word: string): boolean =>
  word.length <= MAX_NAME && (name.test(word.replace(/^[-$./\w]*\./, '')) || isShortName(word));

const isShortName = (word: string): boolean => shortName.test(word) || /^PASS$|[^\p{L}]PASS$/u.test(word);

/** A password may be short and plain, a token may not. */
export const isPasswordName = (word: string): boolean =>
  /(?:pass(?:word|wd|phrase|code)?|pwd|passwort|kennwort|contraseña|senha|motdepasse|пароль|密码|密碼|パスワード)$/i.test(
    word,
  );

/** Commands that take a password as an argument, and headers and files with secrets after further words. */
export const isSecretCommand = (word: string): boolean =>
  /^(?:curl(?:\.exe)?|sshpass|mysql(?:dump|admin|import)?|machine|(?:set-)?cookie)$/i.test(word);
/** Words near which a value without a name is a secret. */
export const isCloudWord = (word: string): boolean => /^(?:aws|A[KS]IA)/i.test(word);

/** Text between a name and its value. */
export const SIGN = String.raw`(?:\s{0,3}["'\x60]?\s{0,3}(?:=>|:=|[:=]|->|\bis\b|\blautet\b|\bist\b|\best\b|\bes\b|\|)\s{0,3})`;
export const signWord = /^(?:=>|:=|[:=]|->|is|ist|lautet|est|es)$/i;

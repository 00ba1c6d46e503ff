/** Shorter values occur everywhere by chance. */
const MIN_LENGTH = 4;
/** So do short lines of a longer secret. */
const MIN_LINE = 6;
/** Longer ones are no passwords but files; encoded they would be larger than what is read of a log at once. */
const MOST_ENCODED = 16 * 1024;
/** A value with more secrets than this is one as a whole. */
const MOST_WITHIN = 100;

const NAMED_LIKE_A_SECRET =
  /TOKEN|SECRET|PASS|_PWD|CREDENTIAL|PRIVATE|API_?KEY|ACCESS_?KEY|AUTH|BEARER|DSN(?![A-Z])|^AWS_/i;

/** Whether the name of a variable says that its value is not for everybody. */
export function isSecretName(name: string): boolean {
  return NAMED_LIKE_A_SECRET.test(name);
}

/** `scheme://user:password@host`, several in a value too. Takes time in proportion to the value. */
const IN_ADDRESS = /:\/\/([^\s/?#:@]*:([^\s/?#]+)@)/g;
/** `password=…` in an address, in the notation of libpq or of ODBC, or in options. */
const ASSIGNED =
  /(?:pass(?:word|wd|phrase)?|pwd|secret|token|api_?key|access_?key)\s*=\s*('[^']*'|"[^"]*"|[^\s;&,]+)/gi;

/** The secrets in the value of a variable with any name: passwords in addresses, and what is assigned to such a name. */
export function secretsWithin(value: string): string[] {
  // A password that is too short to be masked anywhere is masked together with its user.
  const inAddresses = [...value.matchAll(IN_ADDRESS)].flatMap(([, both, password]) => [both!, password!]);
  const assigned = [...value.matchAll(ASSIGNED)].map(([, text]) => text!.replace(/^(['"])(.*)\1$/, '$2'));
  const found = new Set([...inAddresses, ...assigned]);
  found.delete('');
  return found.size > MOST_WITHIN ? [value] : [...found];
}

/** The ways in which a secret shows up: as it is, line by line, inside JSON and inside an address. */
export function formsOf(secret: string): string[] {
  const plain = new Set([secret, percentDecoded(secret)]);
  const encoded = secret.length > MOST_ENCODED ? [] : [...plain];
  const forms = new Set([
    ...plain,
    ...encoded.flatMap((text) => [...jsonForms(text), ...addressForms(text)]),
  ]);
  if (secret.includes('\n')) {
    for (const line of secret.split('\n').map((each) => each.trim())) {
      if (line.length >= MIN_LINE) for (const form of [line, ...jsonForms(line)]) forms.add(form);
    }
  }
  return [...forms].filter((form) => form.length >= MIN_LENGTH);
}

/** With characters beyond ASCII as they are, and escaped. */
function jsonForms(text: string): string[] {
  const quoted = JSON.stringify(text).slice(1, -1);
  const escaped = quoted.replace(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return [quoted, escaped, escaped.replaceAll('/', '\\/')];
}

/** As programs write them: each leaves other characters as they are, and some write small digits. */
function addressForms(text: string): string[] {
  let encoded: string;
  try {
    encoded = encodeURIComponent(text);
  } catch {
    // Half a character, which no address can have.
    return [];
  }
  const strict = encoded.replace(
    /[!'()*~]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const forms = [encoded, strict, strict.replaceAll('%7E', '~')].flatMap((form) => [
    form,
    form.replaceAll('%20', '+'),
    form.replaceAll('%2F', '/'),
  ]);
  return forms.flatMap((form) => [form, form.replace(/%[\dA-F]{2}/g, (code) => code.toLowerCase())]);
}

function percentDecoded(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

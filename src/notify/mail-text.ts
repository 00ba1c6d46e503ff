import { isMailAddress } from '../core/notify/check-target.ts';
import type { Message } from '../core/notify/message.ts';

/** Bytes of one encoded word: 60 characters of Base64, below the 75 of RFC 2047. */
const WORD_BYTES = 45;

/**
 * A mail as it is sent. No header can be added from outside: addresses have been checked, the subject is encoded, and the
 * body is Base64.
 */
export function mailText({
  from,
  to,
  message,
  key,
  at,
}: {
  from: string;
  to: readonly string[];
  message: Message;
  key: string;
  at: number;
}): string {
  for (const address of [from, ...to])
    if (!isMailAddress(address)) throw new Error('an address is not valid');
  const domain = from.slice(from.lastIndexOf('@') + 1);
  const id = Buffer.from(key).toString('base64url');
  const body = Buffer.from(`${message.text}\n`).toString('base64').replace(/.{76}/g, '$&\r\n');
  return [
    `From: Holdfast <${from}>`,
    `To: ${to.map((address) => `<${address}>`).join(',\r\n ')}`,
    `Subject: ${encodedWords(message.title)}`,
    `Date: ${new Date(at).toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${id}@${domain}>`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    'Auto-Submitted: auto-generated',
    '',
    body,
    '',
  ].join('\r\n');
}

/** A header that is not plain text, as RFC 2047 has it. */
export function encodedWords(text: string): string {
  if (/^[\x20-\x3c\x3e\x40-\x5e\x60-\x7e]{0,60}$/.test(text)) return text;
  const words: string[] = [];
  let word = '';
  for (const character of text) {
    if (Buffer.byteLength(word + character) > WORD_BYTES) {
      words.push(word);
      word = '';
    }
    word += character;
  }
  words.push(word);
  return words.map((each) => `=?utf-8?B?${Buffer.from(each).toString('base64')}?=`).join('\r\n ');
}

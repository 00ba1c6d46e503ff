import type { Page } from 'playwright-core';

/** More than any page of the tests has. */
const MOST_PRESSES = 600;

/** What Tab did on a page, in words for a failure of a test. */
interface TabWalk {
  /** How many elements had the focus. */
  reached: number;
  /** Controls that can be seen and used, and never had it. */
  missed: string[];
  /** What had it and looked as without it. */
  unmarked: string[];
}

/** Elements that had the focus, and whether that could be seen. */
type Walked = { walked: Map<Element, boolean> };

/** Presses Tab until the focus is back where it first was. */
export async function walkWithTab(page: Page): Promise<TabWalk> {
  await page.evaluate(() => Object.assign(window, { walked: new Map() }));
  for (let presses = 0; presses < MOST_PRESSES; presses += 1) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(noteFocus)) return page.evaluate(compare);
  }
  throw new Error(`Tab does not return to where it began in ${MOST_PRESSES} presses: ${page.url()}`);
}

/** Runs in the page. Returns whether the focus is at the first element again. */
function noteFocus(): boolean {
  const { walked } = window as unknown as Walked;
  const focused = document.activeElement;
  // Between the last element and the first one.
  if (focused === null || focused === document.body) return false;
  if (walked.has(focused)) return [...walked.keys()][0] === focused && walked.size > 1;
  // A field for a file is hidden behind its label, which shows the focus in its place.
  const isHidden = focused.getBoundingClientRect().width < 4;
  const shown = isHidden ? focused.closest('label') : focused;
  const style = shown === null ? null : getComputedStyle(shown);
  walked.set(
    focused,
    style !== null && style.outlineStyle !== 'none' && Number.parseFloat(style.outlineWidth) >= 1,
  );
  return false;
}

/** Runs in the page. */
function compare(): TabWalk {
  const { walked } = window as unknown as Walked;
  const words = (element: Element) => {
    const name = element.getAttribute('aria-label') ?? element.textContent ?? '';
    return `${element.tagName.toLowerCase()} ${name.trim().slice(0, 60)}`;
  };
  const controls = document.querySelectorAll(
    'a[href], button, input, select, textarea, summary, [role=tab], [role=button], [tabindex="0"]',
  );
  const usable = [...controls].filter(
    (element) =>
      !element.matches(':disabled') &&
      element.checkVisibility({ visibilityProperty: true }) &&
      element.getClientRects().length > 0,
  );
  return {
    reached: walked.size,
    missed: usable.filter((element) => !walked.has(element)).map(words),
    unmarked: [...walked].filter(([, isMarked]) => !isMarked).map(([element]) => words(element)),
  };
}

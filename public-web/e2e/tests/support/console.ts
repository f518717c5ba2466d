import { expect, type Page } from '@playwright/test';
import { en } from '../../../../admin-web/src/i18n/en.ts';
import { ru } from '../../../../admin-web/src/i18n/ru.ts';
import type { Locale } from './dictionary.ts';
import { OPERATOR } from './staff-api.ts';

/** The console as staff use it: by its texts, buttons and keys. */
export class Console {
  readonly texts: typeof ru;

  constructor(
    readonly page: Page,
    private readonly locale: Locale,
    private readonly credentials = OPERATOR,
  ) {
    this.texts = { ru, en }[locale];
  }

  /** Opens the sign-in page in the language of the operator. */
  async open(): Promise<void> {
    await this.page.goto('/admin/');
    await this.page.getByRole('button', { name: { ru: 'Русский', en: 'English' }[this.locale] }).click();
    await expect(this.page.getByRole('heading', { name: this.texts.signin.title })).toBeVisible();
  }

  async signIn(): Promise<void> {
    const { signin, fields } = this.texts;
    await this.page.getByRole('textbox', { name: fields.email }).fill(this.credentials.email);
    await this.page.getByLabel(fields.password).fill(this.credentials.password);
    await this.page.getByRole('button', { name: signin.submit }).click();
    await expect(this.menu).toBeVisible();
  }

  /** Confirms the session, which moving money requires. */
  async confirm(): Promise<void> {
    const { confirm } = this.texts;
    const dialog = this.page.getByRole('dialog', { name: confirm.title });
    await dialog.getByLabel(confirm.password).fill(this.credentials.password);
    await dialog.getByRole('button', { name: confirm.submit }).click();
  }

  async openQueue(): Promise<void> {
    const { screens } = this.texts;
    // The number of waiting claims is part of the link's name.
    await this.menu.getByRole('link', { name: new RegExp(`^${screens.claims}`) }).click();
    const heading = this.page.getByRole('heading', { name: screens.claims, level: 1 });
    await expect(heading).toBeVisible();
    // Beside the pointer the menu shows the link's name, which is a part of no region.
    await heading.hover();
  }

  async openPairs(): Promise<void> {
    const link = this.page.getByRole('link', { name: new RegExp(`^${this.texts.screens.pairs}`) });
    await link.first().click();
  }

  async openVerifications(): Promise<void> {
    await this.openScreen(this.texts.screens.verifications);
  }

  async openApprovals(): Promise<void> {
    const { screens } = this.texts;
    await this.menu.getByRole('link', { name: new RegExp(`^${screens.approvals}`) }).click();
    await expect(this.page.getByRole('heading', { name: screens.approvals, level: 1 })).toBeVisible();
  }

  async openContests(): Promise<void> {
    await this.openScreen(this.texts.screens.contests);
  }

  async openPartners(): Promise<void> {
    await this.openScreen(this.texts.screens.partners);
  }

  private async openScreen(name: string): Promise<void> {
    await this.menu.getByRole('link', { name }).click();
    await expect(this.page.getByRole('heading', { name, level: 1 })).toBeVisible();
  }

  /** Fills in a field of the open dialog. */
  async fill(label: string, value: string): Promise<void> {
    await this.dialog.getByLabel(label, { exact: true }).fill(value);
  }

  /** Presses a button, in the open dialog where there is one. */
  async press(button: string): Promise<void> {
    const within = (await this.dialog.count()) > 0 ? this.dialog.last() : this.page;
    await within.getByRole('button', { name: button, exact: true }).click();
  }

  /** The button that opens the verification of a claim, by the claim's short number. */
  verificationOf(number: string) {
    return this.page
      .getByRole('row')
      .filter({ hasText: `№ ${number}` })
      .getByRole('button');
  }

  private get menu() {
    return this.page.getByRole('navigation', { name: this.texts.layout.menu });
  }

  /** The row of a claim in the queue, by its short number. */
  row(number: string) {
    return this.page.getByRole('row').filter({ has: this.page.getByRole('link', { name: number, exact: true }) });
  }

  /** The open claim. */
  get panel() {
    return this.page.getByRole('region', { name: this.texts.claim.label });
  }

  async expectState(state: keyof typeof ru.statusFull): Promise<void> {
    await expect(this.panel).toContainText(this.texts.statusFull[state]);
  }

  /** The button of an action; its key is part of the label. */
  step(action: keyof typeof ru.moves) {
    return this.panel.getByRole('button', { name: this.texts.moves[action].label });
  }

  /** Presses a key of the open claim once its button is enabled: keys do nothing while an action is under way. */
  private async pressKey(key: string): Promise<void> {
    await expect(
      this.panel.getByRole('button').filter({ has: this.page.getByText(key, { exact: true }) }),
    ).toBeEnabled();
    await this.page.keyboard.press(key.toLowerCase());
  }

  /** Performs the main action by its key. */
  async pressMain(): Promise<void> {
    await this.pressKey('Y');
  }

  /** Takes the claim on by its key. */
  async pressTake(): Promise<void> {
    await this.pressKey('T');
  }

  /** Chooses an action, from the menu where there are many. */
  async choose(label: string): Promise<void> {
    const button = this.panel.getByRole('button', { name: label });
    const more = this.panel.getByRole('button', { name: this.texts.claim.moreActions });
    await expect(button.or(more).first()).toBeVisible();
    if (await button.isVisible()) return button.click();
    await more.click();
    await this.page.getByRole('menuitem', { name: label }).click();
  }

  /** Presses the button that confirms the open dialog. */
  async agree(label: string): Promise<void> {
    await this.dialog.getByRole('button', { name: label }).click();
  }

  /** Confirms the session whenever the console asks for it. */
  async confirmAlways(): Promise<void> {
    const dialog = this.page.getByRole('dialog', { name: this.texts.confirm.title });
    await this.page.addLocatorHandler(dialog, () => this.confirm());
  }

  /** Signs in, and confirms the session whenever the console asks for it. */
  async enter(): Promise<void> {
    await this.confirmAlways();
    await this.open();
    await this.signIn();
  }

  get dialog() {
    return this.page.getByRole('dialog');
  }
}

/** A text of the console with its number, in the form that the language has for it. */
export const counted = (text: string, number: number): RegExp => {
  const forms = text.split('||||').map((form) => form.trim().replaceAll('%{smart_count}', String(number)));
  return new RegExp(`^(${forms.join('|')})$`);
};

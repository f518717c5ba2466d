declare module 'virtual:aliases' {
  /** Other names of currencies by their codes, of the catalogue (modules/calculator/catalogue). */
  const aliases: Record<string, string[]>;
  export default aliases;
}

/** Why lines of an import were refused, in the order of the lines: errors are named `lines.NUMBER.FIELD`. */
export function refusedLines(fields: Record<string, string>): { line: number; message: string }[] {
  const found = Object.entries(fields).flatMap(([path, message]) => {
    const line = /^lines\.(\d+)\./.exec(path)?.[1];
    return line ? [{ line: Number(line), message }] : [];
  });
  return found.sort((a, b) => a.line - b.line);
}

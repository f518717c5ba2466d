import styles from './Points.module.css';

export function Points({ texts }: { texts: readonly string[] }) {
  return (
    <ol className={styles.points}>
      {texts.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ol>
  );
}

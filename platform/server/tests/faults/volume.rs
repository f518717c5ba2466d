//! A small disk for fault injection.

use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Stdio;

use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

/// A disk in memory, in the mount namespace of a process.
pub struct Volume {
    folder: TempDir,
    holder: Child,
}

impl Volume {
    /// Mounts a disk of so many MiB. No rights are needed where the system lets users have namespaces of their own.
    pub async fn mount(mebibytes: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mount =
            format!("mount -t tmpfs -o size={mebibytes}m none {} && echo mounted && exec sleep 600", folder.path().display());
        let mut holder = Command::new("unshare");
        holder.args(["--map-root-user", "--mount", "sh", "-c", &mount]).stdout(Stdio::piped()).kill_on_drop(true);
        let mut holder = holder.spawn().expect("unshare is part of util-linux");
        let mut text = String::new();
        BufReader::new(holder.stdout.take().unwrap()).read_line(&mut text).await.unwrap();
        assert_eq!(text, "mounted\n", "this system does not allow mounting a disk in memory");
        Self { folder, holder }
    }

    /// The address of the database on the disk.
    pub fn database(&self) -> String {
        format!("sqlite:{}", self.folder.path().join("agio.db").display())
    }

    /// A copy of the database, which nobody may write to now, for this process, which does not see the disk.
    pub fn copy_of_database(&self) -> (TempDir, String) {
        let folder = tempfile::tempdir().unwrap();
        for name in ["agio.db", "agio.db-wal"] {
            if let Ok(content) = std::fs::read(self.visible(name)) {
                std::fs::write(folder.path().join(name), content).unwrap();
            }
        }
        let url = format!("sqlite:{}", folder.path().join("agio.db").display());
        (folder, url)
    }

    /// A command that sees the disk.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new("nsenter");
        command.args(["--target", &self.holder_id(), "--user", "--mount", "--preserve-credentials", program]);
        command
    }

    /// Fills the disk.
    pub fn fill(&self) {
        let mut file = File::create(self.visible("filler")).unwrap();
        for size in [1 << 20, 1 << 12] {
            while file.write_all(&vec![0; size]).is_ok() {}
        }
    }

    /// Frees the disk.
    pub fn free(&self) {
        std::fs::remove_file(self.visible("filler")).unwrap();
    }

    fn visible(&self, file: &str) -> PathBuf {
        PathBuf::from(format!("/proc/{}/root{}", self.holder_id(), self.folder.path().display())).join(file)
    }

    fn holder_id(&self) -> String {
        self.holder.id().expect("the holder lives as long as its disk").to_string()
    }
}

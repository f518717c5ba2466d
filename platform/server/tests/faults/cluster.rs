//! A PostgreSQL cluster for fault injection.

use std::path::PathBuf;
use std::process::Stdio;

use agio_test_app::free_port;
use tempfile::TempDir;
use tokio::process::Command;

/// A running cluster in a temporary folder.
pub struct Cluster {
    /// The address of its one database.
    pub url: String,
    bin: PathBuf,
    folder: TempDir,
    port: u16,
}

impl Cluster {
    /// Creates and starts it, as another user if the test runs as root, which PostgreSQL refuses.
    pub async fn start() -> Self {
        let cluster = Self::empty().await;
        let data = cluster.data();
        cluster.run("initdb", &format!("-D {data} -U postgres -A trust -E UTF8 --locale=C")).await;
        cluster.pg_ctl("start").await;
        cluster
    }

    /// Starts a replica, whose disk every commit reaches before it is acknowledged.
    pub async fn start_replica(&self) -> Self {
        let replica = Self::empty().await;
        let (data, port) = (replica.data(), self.port);
        let primary = format!("host=127.0.0.1 port={port} user=postgres application_name=replica");
        replica.run("pg_basebackup", &format!("-D {data} -d \"{primary}\" -R -c fast")).await;
        replica.pg_ctl("start").await;
        let wait = "ALTER SYSTEM SET synchronous_standby_names = 'replica'";
        self.run("psql", &format!("-q {} -c \"{wait}\" -c 'SELECT pg_reload_conf()'", self.url)).await;
        replica
    }

    /// Makes a replica the primary, which waits for no replica.
    pub async fn promote(&self) {
        self.run("pg_ctl", &format!("-D {} -w promote", self.data())).await;
    }

    /// A cluster without data.
    async fn empty() -> Self {
        let bin = std::fs::read_dir("/usr/lib/postgresql").expect("PostgreSQL is installed: run `make test`");
        let bin = bin.map(|version| version.unwrap().path().join("bin")).max().expect("a version of PostgreSQL");
        let folder = tempfile::tempdir().unwrap();
        let port = free_port();
        if is_root() {
            let owned = Command::new("chown").arg("postgres").arg(folder.path()).status().await.unwrap();
            assert!(owned.success());
        }
        Self { url: format!("postgres://postgres@127.0.0.1:{port}/postgres"), bin, folder, port }
    }

    /// Stops it as a power cut would, without writing anything down, and starts it again.
    pub async fn restart_immediately(&self) {
        self.pg_ctl("restart -m immediate").await;
    }

    /// Stops it: connections are refused.
    pub async fn stop(&self) {
        self.pg_ctl("stop -m immediate").await;
    }

    pub async fn start_again(&self) {
        self.pg_ctl("start").await;
    }

    /// Stops every process of it where it stands (`STOP`), or lets them go on (`CONT`). Connections stay open.
    pub async fn signal(&self, signal: &str) {
        let file = tokio::fs::read_to_string(format!("{}/postmaster.pid", self.data())).await.unwrap();
        let postmaster = file.lines().next().unwrap().to_owned();
        let children = tokio::fs::read_to_string(format!("/proc/{postmaster}/task/{postmaster}/children")).await.unwrap();
        let mut kill = Command::new("kill");
        kill.arg(format!("-{signal}")).arg(&postmaster).args(children.split_whitespace());
        // A child may have ended meanwhile.
        kill.stderr(Stdio::null()).status().await.unwrap();
    }

    async fn pg_ctl(&self, action: &str) {
        let (data, port) = (self.data(), self.port);
        let options = format!("-p {port} -c unix_socket_directories= -c listen_addresses=127.0.0.1");
        self.run("pg_ctl", &format!("-D {data} -w -l {data}/log -o '{options}' {action}")).await;
    }

    async fn run(&self, tool: &str, arguments: &str) {
        let line = format!("{} {arguments}", self.bin.join(tool).display());
        let mut command = if is_root() { Command::new("su") } else { Command::new("sh") };
        if is_root() {
            command.args(["postgres", "-s", "/bin/sh"]);
        }
        let done =
            command.args(["-c", &line]).current_dir("/").stdout(Stdio::null()).stderr(Stdio::null()).status().await.unwrap();
        assert!(done.success(), "{line}");
    }

    fn data(&self) -> String {
        self.folder.path().join("data").display().to_string()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let line = format!("{} -D {} -m immediate stop", self.bin.join("pg_ctl").display(), self.data());
        let mut command = std::process::Command::new(if is_root() { "su" } else { "sh" });
        if is_root() {
            command.args(["postgres", "-s", "/bin/sh"]);
        }
        let _ = command.args(["-c", &line]).current_dir("/").stdout(Stdio::null()).stderr(Stdio::null()).status();
    }
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
}

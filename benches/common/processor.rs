//! CPU time, from proc(5).

use std::collections::HashMap;
use std::fs;

use super::Result;

/// Ticks per second in `/proc`, as on all common Linux machines.
const TICKS: f64 = 100.0;

/// CPU time and parent of a process, from its `stat`.
struct Usage {
    parent: u32,
    /// Ticks of the process itself.
    own: u64,
    /// Ticks of its children that have ended.
    reaped: u64,
}

/// Returns the seconds of CPU time of a process and its descendants, except for one of them.
pub fn seconds(root: u32, except: Option<u32>) -> Result<f64> {
    let mut processes = HashMap::new();
    for entry in fs::read_dir("/proc")?.filter_map(std::result::Result::ok) {
        if let Some(id) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok())
            // Processes may end meanwhile.
            && let Some(usage) = usage(&format!("/proc/{id}/stat"))
        {
            processes.insert(id, usage);
        }
    }
    if !processes.contains_key(&root) {
        return Err(format!("process {root} has ended").into());
    }
    let belongs = |mut id: u32| loop {
        if Some(id) == except {
            return false;
        }
        if id == root {
            return true;
        }
        match processes.get(&id) {
            Some(usage) => id = usage.parent,
            None => return false,
        }
    };
    let ours = processes.iter().filter(|(id, _)| belongs(**id));
    Ok(ours.map(|(_, usage)| usage.own + usage.reaped).sum::<u64>() as f64 / TICKS)
}

/// Returns the seconds of CPU time of this thread.
pub fn seconds_of_this_thread() -> Result<f64> {
    let usage = usage("/proc/thread-self/stat").ok_or("no /proc/thread-self/stat")?;
    Ok(usage.own as f64 / TICKS)
}

fn usage(path: &str) -> Option<Usage> {
    let stat = fs::read_to_string(path).ok()?;
    // The name in parentheses may contain spaces.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |field: usize| fields.get(field)?.parse::<u64>().ok();
    Some(Usage {
        parent: fields.get(1)?.parse().ok()?,
        own: ticks(11)? + ticks(12)?,
        reaped: ticks(13)? + ticks(14)?,
    })
}

/// Shares of the CPU time of the machine while a server was measured.
pub struct Machine {
    /// Share of the servers without a load.
    pub idle_server_share: f64,
    /// Share of the processes that do not belong to the benchmark.
    pub others: f64,
}

/// Used and total seconds of all CPUs.
#[derive(Clone, Copy)]
pub struct Clock {
    pub taken: f64,
    pub total: f64,
}

impl Clock {
    pub fn now() -> Result<Self> {
        let stat = fs::read_to_string("/proc/stat")?;
        let line = stat.lines().next().ok_or("/proc/stat is empty")?;
        // user nice system idle iowait irq softirq steal; guests are in user already.
        let ticks: Vec<f64> = line
            .split_whitespace()
            .skip(1)
            .take(8)
            .filter_map(|field| field.parse().ok())
            .collect();
        let [user, nice, system, idle, waiting, interrupts, soft, stolen] = ticks[..] else {
            return Err("/proc/stat has another form".into());
        };
        let taken = user + nice + system + interrupts + soft + stolen;
        Ok(Self { taken: taken / TICKS, total: (taken + idle + waiting) / TICKS })
    }
}

//! HTTP/1.1 by hand, for requests that a client library cannot send.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use super::{RESPONSE_TIMEOUT, Response, SentRequest};

/// A TCP connection to a server.
pub(crate) struct Connection {
    stream: BufReader<TcpStream>,
    has_continue: bool,
    authority: String,
    base_url: String,
}

impl Connection {
    /// Connects to the server at `authority` with this base URL.
    #[track_caller]
    pub(crate) fn open(authority: &str, base_url: &str) -> Self {
        Self::try_open(authority, base_url).expect("the server accepts connections")
    }

    /// Connects to a server that may not be running.
    pub(crate) fn try_open(authority: &str, base_url: &str) -> io::Result<Self> {
        let stream = TcpStream::connect(authority)?;
        // With timeouts, a test fails instead of hanging.
        stream.set_read_timeout(Some(RESPONSE_TIMEOUT)).unwrap();
        stream.set_write_timeout(Some(RESPONSE_TIMEOUT)).unwrap();
        stream.set_nodelay(true).unwrap();
        Ok(Self {
            stream: BufReader::new(stream),
            has_continue: false,
            authority: authority.to_owned(),
            base_url: base_url.to_owned(),
        })
    }

    /// Sends these bytes unchanged.
    pub(crate) fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.get_mut().write_all(bytes)
    }

    /// Sends the head of a request; every element of `fields` is a complete header field.
    pub(crate) fn send_head(
        &mut self,
        method: &str,
        target: &[u8],
        fields: &[Vec<u8>],
    ) -> io::Result<()> {
        let head = self.head(method, target, fields);
        self.send(&head)
    }

    /// Sends the heads of several requests in one write.
    pub(crate) fn send_heads(
        &mut self,
        method: &str,
        targets: impl Iterator<Item = String>,
    ) -> io::Result<()> {
        let heads: Vec<_> = targets.map(|to| self.head(method, to.as_bytes(), &[])).collect();
        self.send(&heads.concat())
    }

    fn head(&self, method: &str, target: &[u8], fields: &[Vec<u8>]) -> Vec<u8> {
        let mut head = format!("{method} ").into_bytes();
        head.extend_from_slice(target);
        head.extend_from_slice(format!(" HTTP/1.1\r\nHost: {}\r\n", self.authority).as_bytes());
        for field in fields {
            head.extend_from_slice(field);
            head.extend_from_slice(b"\r\n");
        }
        head.extend_from_slice(b"\r\n");
        head
    }

    /// Sends a head with the body's length and the body, and returns the response.
    pub(crate) fn exchange(
        &mut self,
        method: &str,
        target: &[u8],
        fields: &[Vec<u8>],
        body: &[u8],
    ) -> io::Result<Response> {
        let mut fields = fields.to_vec();
        if !body.is_empty() {
            fields.push(format!("Content-Length: {}", body.len()).into_bytes());
        }
        let mut request = self.head(method, target, &fields);
        // One write, because a server that has already responded does not wait for later bytes.
        request.extend_from_slice(body);
        self.send(&request)?;
        self.response(method, target)
    }

    /// Reads the interim response `100 Continue`: the server now waits for the body.
    pub(crate) fn wait_for_continue(&mut self) -> io::Result<()> {
        let (status, _) = self.read_head()?;
        assert_eq!(status, 100, "the server asks for the body");
        Ok(())
    }

    /// Returns whether `100 Continue` preceded any response.
    pub(crate) fn has_continue(&self) -> bool {
        self.has_continue
    }

    /// Waits until the server closes the connection; panics if it sends anything before.
    pub(crate) fn wait_for_end(&mut self) -> io::Result<()> {
        let mut rest = Vec::new();
        self.stream.read_to_end(&mut rest)?;
        assert_eq!(String::from_utf8_lossy(&rest), "", "nothing more is said");
        Ok(())
    }

    /// Waits until a response has begun.
    pub(crate) fn wait_for_bytes(&mut self) -> io::Result<()> {
        loop {
            match self.stream.fill_buf() {
                // A read with a timeout is interrupted when a child process ends.
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                begun => return begun.map(drop),
            }
        }
    }

    /// Reads one response to this request, and checks it.
    pub(crate) fn response(&mut self, method: &str, target: &[u8]) -> io::Result<Response> {
        let (status, headers, body) = self.read_response(method == "HEAD")?;
        let sent = SentRequest {
            method: method.to_owned(),
            target: String::from_utf8_lossy(target).into_owned(),
            base_url: self.base_url.clone(),
        };
        Ok(Response::checked(sent, status, headers, body))
    }

    /// Reads one response without checking it.
    pub(crate) fn read_response(&mut self, to_head: bool) -> io::Result<(u16, HeaderMap, Vec<u8>)> {
        let (mut status, mut headers) = self.read_head()?;
        while status < 200 {
            self.has_continue |= status == 100;
            (status, headers) = self.read_head()?;
        }
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let mut body = Vec::new();
        if to_head || status == 204 || status == 304 {
            // These responses have no body, even with a Content-Length.
        } else if text("transfer-encoding").is_some() {
            self.read_chunks(&mut body)?;
        } else if let Some(length) = text("content-length") {
            body.resize(length.parse().map_err(io::Error::other)?, 0);
            self.stream.read_exact(&mut body)?;
        } else {
            self.stream.read_to_end(&mut body)?;
        }
        Ok((status, headers, body))
    }

    fn read_line(&mut self) -> io::Result<String> {
        let mut line = Vec::new();
        self.stream.read_until(b'\n', &mut line)?;
        if line.pop() != Some(b'\n') {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        String::from_utf8(line).map_err(io::Error::other)
    }

    fn read_head(&mut self) -> io::Result<(u16, HeaderMap)> {
        let status_line = self.read_line()?;
        let status = status_line.split(' ').nth(1).unwrap_or_default();
        let status = status.parse().map_err(io::Error::other)?;
        let mut headers = HeaderMap::new();
        loop {
            let line = self.read_line()?;
            if line.is_empty() {
                return Ok((status, headers));
            }
            let (name, value) = line.split_once(':').unwrap_or((&line, ""));
            headers.append(
                HeaderName::from_bytes(name.as_bytes()).map_err(io::Error::other)?,
                HeaderValue::from_str(value.trim()).map_err(io::Error::other)?,
            );
        }
    }

    fn read_chunks(&mut self, body: &mut Vec<u8>) -> io::Result<()> {
        loop {
            let size = self.read_line()?;
            let size = size.split(';').next().unwrap_or_default().trim();
            let size = u64::from_str_radix(size, 16).map_err(io::Error::other)?;
            (&mut self.stream).take(size).read_to_end(body)?;
            self.read_line()?;
            if size == 0 {
                return Ok(());
            }
        }
    }
}

/// Formats a header field.
pub(crate) fn field(name: &str, value: &str) -> Vec<u8> {
    format!("{name}: {value}").into_bytes()
}

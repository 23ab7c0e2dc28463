<?php
// Finds Debian's Guzzle and the generated classes.

require_once '/usr/share/php/GuzzleHttp/autoload.php';

spl_autoload_register(static function (string $class): void {
    if (str_starts_with($class, 'Terse\\')) {
        $path = str_replace('\\', '/', substr($class, strlen('Terse\\')));
        require_once __DIR__ . "/../lib/$path.php";
    }
});
